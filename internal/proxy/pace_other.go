//go:build !linux

package proxy

import "net"

// unpaced is nothing: only Linux lets a program choose how a socket is paced.
func unpaced(*net.TCPConn) {}
