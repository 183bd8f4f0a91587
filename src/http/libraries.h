/* The libraries that the edge stands on, for those who ask what runs here. */
#ifndef HTTP_LIBRARIES_H
#define HTTP_LIBRARIES_H

const char *libraries_microhttpd(void); /* "0.9.75" */
const char *libraries_uv(void);         /* "1.44.2" */

#endif
