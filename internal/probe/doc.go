// Package probe runs any program against a recorded broker and says what it does on the wire.
package probe
