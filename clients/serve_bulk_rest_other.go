//go:build !linux

package clients

import "time"

// rest waits with a timer of Go's runtime.
func rest(d time.Duration) { <-time.After(d) }
