#include "../../../src/frontend/include/os_coop.h"
