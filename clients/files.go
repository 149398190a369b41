package clients

import (
	"embed"
	"io/fs"
)

//go:embed */client.py python/requirements.txt */client.mjs kafkajs/package*.json platformatic/package*.json java/Client.java java/pom.xml java/jars.sha256
var files embed.FS

// Files has what is shipped, a folder for each client: its program, and what pins the
// library that it is for. Whoever has kcompare has them, without a checkout.
func Files() fs.FS { return files }
