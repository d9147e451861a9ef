// A target needs a source before it can precompile a header.
