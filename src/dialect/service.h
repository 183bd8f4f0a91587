/* What those who run the server ask it: is it alive, is it ready, what has it counted. */
#ifndef DIALECT_SERVICE_H
#define DIALECT_SERVICE_H

#include "http/exchange.h"

route_run service_health, service_ready, service_metrics;

#endif
