// Package clients is the driver of client programs in other languages: a process that
// a trial has to itself, lines of JSON on its stdin and stdout, as PROTOCOL.md says. Each
// folder beside it has a program that is shipped.
package clients
