// Package install makes the shipped client programs ready to start: an environment of
// its own for each client and version, in the user's cache directory, with pinned
// packages.
//
//	CACHE/clients/kafkajs@2.2.4.lock       held by whoever makes the folder
//	CACHE/clients/kafkajs@2.2.4/           package.json, node_modules
//	                           /program-HASH/client.mjs
//	                           /ready.json written last: the folder is whole
//
// A folder is made where it stays, because a Python environment cannot be moved. What
// has no ready.json does not count, whoever was interrupted there, and the next install
// removes it. Programs are written by the hash of their text, so that a newer kcompare
// needs no new environment for a program that has changed.
package install
