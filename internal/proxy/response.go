package proxy

import (
	"fmt"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// answer is a broker's answer as far as the proxy understands it.
type answer struct {
	message kmsg.Response // nil where the body is not decoded
	body    int           // where the body starts in the frame
	rewrite bool          // the message is no longer what the frame says
	at      time.Duration // when it was complete, by Options.Clock

	result   string                // error codes by name
	appended map[place]appendReply // Produce only
	ended    string                // EndTxn only: the code by name
	features map[string]int16      // ApiVersions only: the levels that are finalized
}

// place is a partition by name.
type place struct {
	topic     string
	partition int32
}

// appendReply is what the broker said of the batch of one partition.
type appendReply struct {
	code   string
	offset int64
}

// readAnswer decodes the answer to a request, teaches the proxy what it tells of
// nodes and topics, and replaces the addresses in the message. An error means
// that the answer must not reach the client.
func (p *Proxy) readAnswer(r *request, frame []byte) (answer, error) {
	a, err := p.decodeAnswer(r, frame)
	if err != nil {
		if carriesAddresses(r.key) {
			return answer{}, fmt.Errorf("read a %s v%d answer, which may hold addresses: %w", apiName(r.key), r.version, err)
		}
		p.record.problem("%s v%d answer passed undecoded: %v", apiName(r.key), r.version, err)
		return answer{}, nil
	}
	if a.message == nil {
		return a, nil
	}
	p.topics.learnFrom(a.message)
	a.result = resultOf(a.message)
	return a, p.adapt(r, &a)
}

func (p *Proxy) decodeAnswer(r *request, frame []byte) (answer, error) {
	if r.message == nil { // opaque on the way there, opaque on the way back
		return answer{}, nil
	}
	resp := r.message.ResponseKind()
	body, err := responseBody(frame, resp)
	if err != nil {
		return answer{}, err
	}
	if r.key == int16(kmsg.ApiVersions) {
		resp, err = readApiVersions(frame[body:], r.version)
	} else {
		err = resp.ReadFrom(frame[body:])
	}
	return answer{message: resp, body: body}, err
}

// adapt changes what must not reach the client as it is.
func (p *Proxy) adapt(r *request, a *answer) (err error) {
	switch m := a.message.(type) {
	case *kmsg.ApiVersionsResponse:
		a.features = finalized(m)
		lowered := lowerVersions(m)
		p.record.lowered(lowered)
		a.rewrite = len(lowered) > 0
		return nil
	case *kmsg.ProduceResponse:
		a.appended = p.appendReplies(m)
	case *kmsg.EndTxnResponse:
		a.ended = codeName(m.ErrorCode)
	}
	if !slices.Contains(p.opts.LeaveAddresses, apiName(r.key)) {
		if a.rewrite, err = rewrite(a.message, p.advertise); err != nil {
			return fmt.Errorf("answer %s: %w", apiName(r.key), err)
		}
	}
	if m, ok := a.message.(*kmsg.MetadataResponse); ok {
		p.rememberRacks(m)
	}
	return nil
}

// finalized are the levels of the features that a cluster has switched on.
func finalized(m *kmsg.ApiVersionsResponse) map[string]int16 {
	if len(m.FinalizedFeatures) == 0 {
		return nil
	}
	levels := map[string]int16{}
	for _, f := range m.FinalizedFeatures {
		levels[f.Name] = f.MaxVersionLevel
	}
	return levels
}

func (p *Proxy) appendReplies(m *kmsg.ProduceResponse) map[place]appendReply {
	replies := map[place]appendReply{}
	for _, t := range m.Topics {
		topic, _ := p.topics.name(t.Topic, t.TopicID)
		for _, partition := range t.Partitions {
			replies[place{topic, partition.Partition}] = appendReply{codeName(partition.ErrorCode), partition.BaseOffset}
		}
	}
	return replies
}
