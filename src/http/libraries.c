#include "http/libraries.h"

#include <microhttpd.h>
#include <uv.h>

const char *libraries_microhttpd(void)
{
    return MHD_get_version();
}

const char *libraries_uv(void)
{
    return uv_version_string();
}
