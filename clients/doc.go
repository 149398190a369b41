// Package clients is the driver of client programs in other languages: one process
// for each trial, lines of JSON on its stdin and stdout, as PROTOCOL.md says. Each
// folder beside it has a program that is shipped.
package clients
