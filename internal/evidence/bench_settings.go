package evidence

import (
	"fmt"
	"strconv"
	"strings"
)

// BenchSetting is one effective setting as the wire showed it, or one more figure of the
// same short run.
type BenchSetting struct {
	Name string // "largest batch"
	Text string // "131020 bytes"
}

// Names of the effective settings that are compared before anything is ranked.
const (
	SettingAcks         = "acks"
	SettingIdempotence  = "idempotence"
	SettingCodec        = "codec"
	SettingRecordSize   = "record size"
	SettingPartitions   = "partitions"
	SettingLargestBatch = "largest batch"
	SettingLinger       = "linger"
	SettingInFlight     = "requests in flight"
	SettingIsolation    = "isolation"

	SettingLargestRecords   = "records in the largest batch"
	SettingBatchesInRequest = "batches in a request"
	SettingLargestFetch     = "largest answer to Fetch"
	SettingVersions         = "versions of requests"
)

// Settings lists what was seen, in the order in which reports have it. What was not to be
// seen in this work is left out.
func (s BenchSeen) Settings() []BenchSetting {
	var all []BenchSetting
	add := func(name, text string, seen bool) {
		if seen {
			all = append(all, BenchSetting{name, text})
		}
	}
	add(SettingAcks, s.Acks, s.Acks != "")
	add(SettingIdempotence, s.Idempotent, s.Idempotent != "")
	add(SettingCodec, s.Codec, s.Codec != "")
	add(SettingRecordSize, short(s.RecordBytes)+" bytes", s.RecordBytes > 0)
	add(SettingPartitions, strconv.Itoa(s.Partitions), s.Partitions > 0)
	add(SettingLargestBatch, fmt.Sprintf("%d bytes", s.LargestBatch), s.LargestBatch > 0)
	if s.LingerMS != nil {
		add(SettingLinger, strconv.FormatFloat(*s.LingerMS, 'f', 1, 64)+" ms", true)
	}
	add(SettingInFlight, strconv.Itoa(s.InFlight), s.InFlight > 0)
	add(SettingIsolation, s.Isolation, s.Isolation != "")
	add(SettingLargestRecords, strconv.FormatInt(s.LargestRecords, 10), s.LargestRecords > 0)
	add(SettingBatchesInRequest, short(s.BatchesInRequest), s.BatchesInRequest > 0)
	add(SettingLargestFetch, fmt.Sprintf("%d bytes", s.LargestFetch), s.LargestFetch > 0)
	add(SettingVersions, strings.Join(s.Versions, ", "), len(s.Versions) > 0)
	return all
}

// short has one decimal, or none where that is nothing.
func short(v float64) string {
	return strings.TrimSuffix(strconv.FormatFloat(v, 'f', 1, 64), ".0")
}
