package clients

import (
	"encoding/binary"
	"encoding/json"
	"fmt"

	"kcompare/drivers"
)

// The lines of PROTOCOL.md as values. Both sides use them: the driver, and Serve.

// protocol is the version that both sides speak.
const protocol = 1

// request is a line that is answered. Each verb uses some of its members.
type request struct {
	ID        int64  `json:"id"`
	Verb      string `json:"verb"`
	Handle    string `json:"handle,omitempty"`
	TimeoutMS *int64 `json:"timeout_ms,omitempty"`

	Protocol int `json:"protocol,omitempty"`

	Role string `json:"role,omitempty"`
	options

	Plainly    bool            `json:"plainly,omitempty"`
	Offsets    []position      `json:"offsets,omitzero"`
	Group      json.RawMessage `json:"group,omitzero"`
	Topics     []string        `json:"topics,omitzero"`
	From       []position      `json:"from,omitzero"`
	To         *position       `json:"to,omitempty"`
	Partitions []place         `json:"partitions,omitzero"`
	Next       []position      `json:"next,omitzero"`
	Consumer   string          `json:"consumer,omitempty"`
	bulk
}

// options is how a client is to be built.
type options struct {
	Settings          map[string]string `json:"settings,omitzero"`
	OneRecordPerBatch bool              `json:"one_record_per_batch,omitempty"`
	Bare              bool              `json:"bare,omitempty"`
	GiveUpInFlight    bool              `json:"give_up_in_flight,omitempty"`
}

// bulk is what produce-many makes, how much consume-many reads, and how process-many
// does both.
type bulk struct {
	Topic       string  `json:"topic,omitempty"`
	Partition   *int32  `json:"partition,omitempty"`
	Count       int64   `json:"count,omitempty"`
	Keys        int64   `json:"keys,omitempty"`
	ValueBytes  int     `json:"value_bytes,omitempty"`
	Rate        float64 `json:"rate,omitempty"`
	Transaction int64   `json:"transaction,omitempty"`
}

// produced is the line of a record, which is not answered.
type produced struct {
	Verb      string   `json:"verb"`
	Handle    string   `json:"handle"`
	Record    int64    `json:"record"`
	Topic     string   `json:"topic"`
	Partition int32    `json:"partition"`
	Key       []byte   `json:"key"`
	Value     []byte   `json:"value"`
	Headers   []header `json:"headers,omitempty"`
}

// said is a line of the program: an answer if it has an id, a report if it has a
// record, or a line of the library's log.
type said struct {
	ID    *int64   `json:"id,omitempty"`
	Error *failure `json:"error,omitempty"`

	Handle    string `json:"handle,omitempty"`
	Record    *int64 `json:"record,omitempty"`
	Count     *int64 `json:"count,omitempty"`
	Outcome   string `json:"outcome,omitempty"`
	Partition *int32 `json:"partition,omitempty"`
	Offset    *int64 `json:"offset,omitempty"`

	Log *string `json:"log,omitempty"`
}

// failure is an error as lines have it.
type failure struct {
	Class drivers.Class `json:"class"`
	Code  string        `json:"code,omitempty"`
	Text  string        `json:"text"`
	Key   string        `json:"key,omitempty"`
	Keys  []string      `json:"keys,omitempty"`
}

// The classes that settings alone have.
const (
	unsupported drivers.Class = "unsupported"
	wrongConfig drivers.Class = "config"
)

// hello is the answer to the first request.
type hello struct {
	Protocol  int      `json:"protocol"`
	Language  string   `json:"language"`
	Library   string   `json:"library"`
	Version   string   `json:"version"`
	Via       string   `json:"via,omitempty"`
	Abilities []string `json:"abilities"`
}

// polled is the answer to poll; close has rebalances alone.
type polled struct {
	Records    []fetched   `json:"records,omitzero"`
	Rebalances []rebalance `json:"rebalances,omitempty"`
}

type fetched struct {
	Topic     string   `json:"topic"`
	Partition int32    `json:"partition"`
	Offset    int64    `json:"offset"`
	Key       []byte   `json:"key"`
	Value     []byte   `json:"value"`
	Headers   []header `json:"headers,omitempty"`
}

type rebalance struct {
	Change     drivers.Change `json:"change"`
	Partitions []place        `json:"partitions"`
	After      int64          `json:"after"`
}

// group is the answer to group-metadata; a program may add members.
type group struct {
	Group      string `json:"group"`
	Generation int32  `json:"generation"`
	Member     string `json:"member"`
	Instance   string `json:"instance"`
}

// measured is what answers to bulk verbs have of time and memory.
type measured struct {
	ElapsedUS int64              `json:"elapsed_us"`
	Latencies latencies          `json:"latencies_us,omitempty"`
	Allocated *drivers.Allocated `json:"allocated,omitempty"`
}

// consumed is the answer to consume-many.
type consumed struct {
	measured
	Count int64 `json:"count"`
	Bytes int64 `json:"bytes"`
	Runs  []run `json:"runs"`
}

// processed is the answer to process-many.
type processed struct {
	measured
	Count int64 `json:"count"`
}

// latencies are unsigned numbers of four bytes, little end first, in base64.
type latencies []uint32

func (l latencies) MarshalJSON() ([]byte, error) {
	raw := make([]byte, 0, 4*len(l))
	for _, us := range l {
		raw = binary.LittleEndian.AppendUint32(raw, us)
	}
	return json.Marshal(raw)
}

func (l *latencies) UnmarshalJSON(b []byte) error {
	var raw []byte
	if err := json.Unmarshal(b, &raw); err != nil {
		return err
	}
	if len(raw)%4 != 0 {
		return fmt.Errorf("expected numbers of four bytes, got %d bytes", len(raw))
	}
	*l = make(latencies, len(raw)/4)
	for i := range *l {
		(*l)[i] = binary.LittleEndian.Uint32(raw[4*i:])
	}
	return nil
}

// header is ["name", value].
type header drivers.Header

func (h header) MarshalJSON() ([]byte, error) { return json.Marshal([]any{h.Key, h.Value}) }

func (h *header) UnmarshalJSON(b []byte) error { return tuple(b, &h.Key, &h.Value) }

// place is ["topic", partition].
type place drivers.TopicPartition

func (p place) MarshalJSON() ([]byte, error) { return json.Marshal([]any{p.Topic, p.Partition}) }

func (p *place) UnmarshalJSON(b []byte) error { return tuple(b, &p.Topic, &p.Partition) }

// position is ["topic", partition, offset].
type position drivers.Position

func (p position) MarshalJSON() ([]byte, error) {
	return json.Marshal([]any{p.Topic, p.Partition, p.Offset})
}

func (p *position) UnmarshalJSON(b []byte) error {
	return tuple(b, &p.Topic, &p.Partition, &p.Offset)
}

// run is ["topic", partition, first offset, count].
type run drivers.Run

func (r run) MarshalJSON() ([]byte, error) {
	return json.Marshal([]any{r.Topic, r.Partition, r.First, r.Count})
}

func (r *run) UnmarshalJSON(b []byte) error {
	return tuple(b, &r.Topic, &r.Partition, &r.First, &r.Count)
}

// tuple reads an array of exactly these.
func tuple(b []byte, into ...any) error {
	var parts []json.RawMessage
	if err := json.Unmarshal(b, &parts); err != nil {
		return err
	}
	if len(parts) != len(into) {
		return fmt.Errorf("expected an array of %d, got %s", len(into), b)
	}
	for i, part := range parts {
		if err := json.Unmarshal(part, into[i]); err != nil {
			return err
		}
	}
	return nil
}

func toHeaders(in []drivers.Header) []header {
	var out []header
	for _, h := range in {
		out = append(out, header(h))
	}
	return out
}

func fromHeaders(in []header) []drivers.Header {
	var out []drivers.Header
	for _, h := range in {
		out = append(out, drivers.Header(h))
	}
	return out
}

func toPositions(in []drivers.Position) []position {
	out := []position{} // an empty list is a list
	for _, p := range in {
		out = append(out, position(p))
	}
	return out
}

func fromPositions(in []position) []drivers.Position {
	var out []drivers.Position
	for _, p := range in {
		out = append(out, drivers.Position(p))
	}
	return out
}

func toPlaces(in []drivers.TopicPartition) []place {
	out := []place{} // an empty list is a list
	for _, p := range in {
		out = append(out, place(p))
	}
	return out
}

func fromPlaces(in []place) []drivers.TopicPartition {
	var out []drivers.TopicPartition
	for _, p := range in {
		out = append(out, drivers.TopicPartition(p))
	}
	return out
}
