/* The reply to a message that an agent answers: it waits for the turn, or streams it. */
#ifndef DIALECT_NATIVE_TURN_REPLY_H
#define DIALECT_NATIVE_TURN_REPLY_H

#include "dialect/native/handler.h"
#include "message/message_in.h"

FAULT_CHECK enum fault_code turn_reply(struct exchange *x, struct message_batch *batch,
                                       struct fault *fault);

#endif
