package probe

import (
	"slices"

	"kcompare/internal/evidence"
	"kcompare/internal/fingerprint"
)

// Schema is that of a Document.
const Schema = "kcompare/probe/v1"

// Document is a Result for a reader, as JSON: docs/contract.md. Nothing of the program's
// arguments or environment is in it.
type Document struct {
	Command  string          `json:"command"`
	Schema   string          `json:"schema"`
	Kcompare string          `json:"kcompare"`
	Seed     int64           `json:"seed"`
	Broker   evidence.Broker `json:"broker"`
	Program  Program         `json:"program"`
	Faults   []FaultRow      `json:"faults"`
	Clients  []ClientRow     `json:"clients"`
	Copies   *CopiesRow      `json:"lost_acks,omitempty"` // absent where no acknowledgement of written records was lost
	Compared []Compared      `json:"compared,omitempty"`  // with a file (--as)
	Made     []string        `json:"topics_made"`         // topics that clients asked for and did not let the broker make
	Problems []string        `json:"problems"`            // why this may not be the whole truth
}

// Program is how the program ended.
type Program struct {
	Ended     How   `json:"ended"`
	ExitCode  int   `json:"exit_code"` // -1 where a signal ended it
	ElapsedMS int64 `json:"elapsed_ms"`
}

// FaultRow is what became of one rule.
type FaultRow struct {
	Rule       string `json:"rule"`
	Action     string `json:"action"`
	API        string `json:"api,omitempty"`
	Fired      int64  `json:"fired"`
	Collateral int64  `json:"collateral"` // answers to other requests that were lost with a connection
}

// ClientRow is one fingerprint.
type ClientRow struct {
	ClientID     string           `json:"client_id"`
	Library      LibraryRow       `json:"library"`
	Requests     map[string]int64 `json:"requests"` // by API
	Settings     []SettingRow     `json:"settings"`
	Batches      *BatchesRow      `json:"batches,omitempty"`      // of a client that produced
	Transactions *TransactionsRow `json:"transactions,omitempty"` // of a client that ended or began one
	Again        []AgainRow       `json:"sent_again"`
}

// LibraryRow is what the client calls itself, and what that is by kcompare's names.
type LibraryRow struct {
	Software string `json:"software"` // client.software.name; "" where the client does not tell
	Version  string `json:"version"`
	Client   string `json:"client,omitempty"` // absent for a library that kcompare does not know
}

// SettingRow is one setting by its canonical name.
type SettingRow struct {
	Key       string                `json:"key"`
	Value     string                `json:"value"`
	Precision fingerprint.Precision `json:"precision"`
	Requests  int                   `json:"requests"`
	Seen      string                `json:"seen"`
	Others    []ReadingRow          `json:"others,omitempty"`
	Default   string                `json:"default,omitempty"` // that of this version of the library; absent where nobody measured it
}

// ReadingRow is another value of a setting.
type ReadingRow struct {
	Value    string `json:"value"`
	Requests int    `json:"requests"`
}

// BatchesRow is fingerprint.Batches.
type BatchesRow struct {
	Requests   int64 `json:"requests"`
	Batches    int64 `json:"batches"`
	Records    int64 `json:"records"`
	MinRecords int64 `json:"min_records"`
	MaxRecords int64 `json:"max_records"`
	MaxBytes   int64 `json:"max_bytes"`
	InFlight   int   `json:"in_flight"`
}

// TransactionsRow is fingerprint.Transactions.
type TransactionsRow struct {
	Committed int `json:"committed"`
	Aborted   int `json:"aborted"`
	Refused   int `json:"refused"`
	Unknown   int `json:"unknown"`
	Open      int `json:"open"`
}

// AgainRow is one request that was sent more than once.
type AgainRow struct {
	API     string    `json:"api"`
	About   string    `json:"about"`
	Fault   string    `json:"fault"`
	Times   int       `json:"times"`
	WaitsMS []float64 `json:"waits_ms"`
	Written int       `json:"written,omitempty"`
	Result  string    `json:"result"`
}

// CopiesRow is Copies.
type CopiesRow struct {
	Records    int `json:"records"`
	Duplicates int `json:"duplicates"`
}

// NewDocument is the document of a result, but for Kcompare and Compared, which the
// caller knows.
func NewDocument(o Options, r Result) Document {
	d := Document{
		Command: "probe", Schema: Schema, Seed: o.Seed, Broker: o.Cluster.Info(),
		Program: Program{r.Ended.How, r.Ended.Code, r.Elapsed.Milliseconds()},
		Faults:  []FaultRow{}, Clients: []ClientRow{}, Made: append([]string{}, r.Made...), Problems: append([]string{}, r.Problems...),
	}
	for _, rule := range o.Plan {
		d.Faults = append(d.Faults, FaultRow{rule.Name, string(rule.Action), rule.Select.API, r.Observed.Hits[rule.Name], r.Observed.Collateral[rule.Name]})
	}
	for _, f := range r.Fingerprints {
		d.Clients = append(d.Clients, clientRow(f))
	}
	if r.Copies != nil {
		d.Copies = &CopiesRow{r.Copies.Records, r.Copies.Duplicates}
	}
	return d
}

func clientRow(f fingerprint.Fingerprint) ClientRow {
	c := ClientRow{
		ClientID: f.ClientID, Library: LibraryRow{f.Library.Software, f.Library.Version, f.Library.Client},
		Requests: f.Requests, Settings: []SettingRow{}, Again: []AgainRow{},
	}
	for _, t := range f.Traits {
		c.Settings = append(c.Settings, settingRow(f, t))
	}
	if b := f.Batches; b.Requests > 0 {
		c.Batches = &BatchesRow{b.Requests, b.Batches, b.Records, b.MinRecords, b.MaxRecords, b.MaxBytes, b.InFlight}
	}
	if t := f.Transactions; t != (fingerprint.Transactions{}) {
		c.Transactions = &TransactionsRow{t.Committed, t.Aborted, t.Refused, t.Unknown, t.Open}
	}
	for _, a := range f.Again {
		row := AgainRow{API: a.API, About: a.About, Fault: a.Fault, Times: a.Times, Written: a.Written, Result: a.Result}
		for _, w := range a.Waits {
			row.WaitsMS = append(row.WaitsMS, float64(w)/1000)
		}
		c.Again = append(c.Again, row)
	}
	return c
}

func settingRow(f fingerprint.Fingerprint, t fingerprint.Trait) SettingRow {
	row := SettingRow{Key: t.Key, Value: t.Value, Precision: t.Precision, Requests: t.Requests, Seen: t.Seen, Default: defaultOf(f, t.Key)}
	for _, o := range t.Others {
		row.Others = append(row.Others, ReadingRow{o.Value, o.Requests})
	}
	return row
}

// Differs says whether a setting is not as the file has it.
func (d Document) Differs() bool {
	return slices.ContainsFunc(d.Compared, func(c Compared) bool { return c.Result == fingerprint.Different })
}

// Faultless says that faults were asked for, and that the program gave them nothing to
// happen to.
func (d Document) Faultless() bool {
	return len(d.Faults) > 0 && !slices.ContainsFunc(d.Faults, func(f FaultRow) bool { return f.Fired > 0 })
}
