#include "../../../src/frontend/include/sc_coop.h"
