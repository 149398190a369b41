package cli

import (
	"fmt"
	"io/fs"
	"strings"

	"kcompare/clients"
	"kcompare/clients/install"
	"kcompare/internal/bench"
	"kcompare/internal/broker"
	"kcompare/internal/scenario"
	"kcompare/internal/workbook"
)

// evidenceOf is the evidence of a course, and what it would be made of by this build.
func (s *State) evidenceOf(files fs.FS, m workbook.Manifest) *workbook.Store {
	return workbook.NewStore(files, m, workbook.Made{
		Scenarios: scenario.Digests(),
		Brokers: map[string]string{
			brokerEmbedded: broker.EmbeddedInfo(1).Software,
			brokerKafka:    "Apache Kafka " + broker.DefaultKafkaVersion,
		},
		Client:  s.library,
		Recheck: bench.Recheck,
	})
}

// library is what stands behind a client, found without a process and without a network: a
// driver that is built in says so itself, of a program the catalogue says what is installed.
func (s *State) library(name string) (workbook.Library, bool) {
	for _, c := range s.Clients {
		if c.Name == name {
			d, err := c.New()
			if err != nil {
				return workbook.Library{}, false // this build lacks it
			}
			return workbook.Library{Version: d.Library().String(), BuiltIn: true}, true
		}
	}
	named, err := install.Parse(name)
	if err != nil {
		return workbook.Library{}, false
	}
	library := workbook.Library{Version: packageOf(named)}
	if folder, err := fs.Stat(clients.Files(), named.Name); err == nil && folder.IsDir() {
		if library.Program, err = workbook.ProgramDigest(clients.Files(), named.Name); err != nil {
			return workbook.Library{}, false
		}
	}
	return library, true
}

// packageOf is "confluent-kafka 2.16.1": what the client is installed from, without the
// group that Java's registry has in front of it.
func packageOf(n install.Named) string {
	name := n.Package[strings.LastIndex(n.Package, ":")+1:]
	version := strings.TrimPrefix(n.Folder(), n.Name+"@")
	return fmt.Sprintf("%s %s", name, version)
}
