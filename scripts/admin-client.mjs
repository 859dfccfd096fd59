// Writes admin-ui/openapi.json and the types of the console's client from the controllers of src/admin. Run it after every
// change of the console's API: npm run admin:client.
import { writeFileSync } from 'node:fs';
import { loadTypeScript } from '../test/jest/typescript.mjs';

loadTypeScript();
const { clientFiles } = await import('./admin-client/client-files.ts');
for (const { path, content } of await clientFiles()) writeFileSync(path, content);
