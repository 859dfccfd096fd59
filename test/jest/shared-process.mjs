import { runFile } from './run-file.mjs';

/**
 * Jest's `testRunner` for most files. Jest would load all modules again for each file, in a separate context; here the
 * files of a worker share them, which saves most of a second for each file that imports the service.
 */
export default (globalConfig, config, _environment, _runtime, path) => runFile({ globalConfig, config, path });
