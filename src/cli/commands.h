/* The commands, each in the file of its name. */
#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H

#include "cli/command.h"

extern const struct command command_chat;
extern const struct command command_new;
extern const struct command command_sessions;
extern const struct command command_show;
extern const struct command command_send;
extern const struct command command_fork;
extern const struct command command_rewind;
extern const struct command command_undo;
extern const struct command command_redo;
extern const struct command command_adopt;
extern const struct command command_files;
extern const struct command command_cat;
extern const struct command command_diff;
extern const struct command command_merge;
extern const struct command command_restore;
extern const struct command command_workspace;
extern const struct command command_tree;
extern const struct command command_log;
extern const struct command command_agents;
extern const struct command command_answer;
extern const struct command command_cancel;
extern const struct command command_events;
extern const struct command command_search;
extern const struct command command_label;
extern const struct command command_rename;
extern const struct command command_edit;
extern const struct command command_rm;
extern const struct command command_export;
extern const struct command command_import;
extern const struct command command_backup;
extern const struct command command_verify;
extern const struct command command_gc;
extern const struct command command_demo;
extern const struct command command_serve;
extern const struct command command_config;
extern const struct command command_doctor;
extern const struct command command_user;
extern const struct command command_help;

#endif
