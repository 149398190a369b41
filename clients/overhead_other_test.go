//go:build !linux

package clients_test

import "testing"

// runTests runs the tests; what processes cost is told on Linux.
func runTests(m *testing.M) int { return m.Run() }
