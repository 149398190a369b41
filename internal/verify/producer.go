package verify

import "kcompare/internal/config"

// ofProducers is Experiment.Roles of what only producers do.
var ofProducers = []config.Role{config.Producer}

// producing are the experiments of producers.
func producing() []Experiment {
	return []Experiment{written()}
}
