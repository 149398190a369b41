package evidence

// Scene is a part of a trial's trace, told so that two runs of the same story tell it
// alike: connections, producer ids and nodes are numbered by first appearance, times are
// left out, equal requests in a row are one step.
type Scene struct {
	Of      string      `json:"of"`       // which part: "start", "fault", "record order-0003", "transaction 1", "all"
	Steps   []SceneStep `json:"steps"`    // in the order of cause and effect
	LeftOut int64       `json:"left_out"` // exchanges of that part that came after Steps was full
}

// SceneStep is a request, or several equal ones, and its answer.
type SceneStep struct {
	Connection string `json:"connection"` // "c1", counted for each node by itself; "" to a broker that the client may choose
	Node       string `json:"node"`       // who was asked: "leader", "transaction coordinator", "group coordinator", "broker"
	API        string `json:"api"`
	Version    int16  `json:"version"`
	Request    string `json:"request,omitempty"` // in a few words: "order-0003, P1 epoch 0 sequence 3"
	Answer     string `json:"answer,omitempty"`  // in a few words: "ok, offset 3"
	Fault      string `json:"fault,omitempty"`   // the fault that fired here
	Collateral bool   `json:"collateral,omitempty"`
	Forwarded  bool   `json:"forwarded"` // the broker got the request
	Delivered  bool   `json:"delivered"` // the client got the answer
	Times      int    `json:"times"`     // so often in a row
}
