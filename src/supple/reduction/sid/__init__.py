"""Standard input data (SID) of flexible bodies: read and written."""
