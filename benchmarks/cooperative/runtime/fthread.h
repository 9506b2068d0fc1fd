#include "../../../src/frontend/include/fthread.h"
