// Starts the service that `npm run build` has made. Source maps are switched on here and not by Node's flag: with the flag
// the logger, which looks at its callers once, would make Node read the whole map at every start.
process.setSourceMapsEnabled(true);
await import('../dist/bundle/main.js');
