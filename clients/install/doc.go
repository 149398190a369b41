// Package install makes the shipped client programs ready to start: an environment of
// its own for each client and version, in the user's cache directory, with pinned
// packages.
package install
