package bench

// ParseFaults reads values of --fault: "rtt:5ms".
func ParseFaults(given []string) (Faults, error) { return Faults{Given: given}, nil }
