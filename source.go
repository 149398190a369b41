// Package kcompare has its own sources as data: those of its drivers in Go, and of what
// they need. From them the user's go builds a driver with another version of its
// library, as a program of its own (clients/install).
package kcompare

import (
	"embed"
	"io/fs"
)

//go:embed go.mod go.sum
//go:embed drivers/*.go franz/*.go librdkafka/*.go sarama/*.go
//go:embed internal/batch/*.go internal/child/*.go internal/evidence/*.go internal/security/*.go
//go:embed internal/config/*.go internal/config/settings.tsv internal/config/defaults internal/config/versions
//go:embed clients/*.go clients/*/client.py clients/python/requirements.txt clients/*/client.mjs
//go:embed clients/kafkajs/package*.json clients/platformatic/package*.json clients/java
var source embed.FS

// Source has the files; tests among them, which nobody builds.
func Source() fs.FS { return source }
