import { readFileSync } from 'node:fs';
import { clientFiles } from '../../scripts/admin-client/client-files.js';

describe("the console's client", () => {
  it('is what `npm run admin:client` makes of the controllers', async () => {
    for (const { path, content } of await clientFiles()) expect(readFileSync(path, 'utf8')).toBe(content);
  });
});
