import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { startWorld, type World } from '../support/world.js';

const run = promisify(execFile);
const fromRoot = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));

/** As strict as a merchant's own project may be. */
const TSCONFIG = {
  compilerOptions: {
    target: 'ES2024',
    lib: ['ES2024'],
    module: 'nodenext',
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    verbatimModuleSyntax: true,
    erasableSyntaxOnly: true,
    noEmit: true,
    skipLibCheck: true,
    types: ['node'],
  },
  include: ['*.ts'],
};

/** Mistakes of a merchant's program, each in a copy of the tour, and the compiler's message about it. */
const MISTAKES = [
  { file: 'request-field.ts', right: 'amount_cents: 2500', wrong: 'amount_cent: 2500', says: /'amount_cent'/ },
  { file: 'answer-field.ts', right: 'intent.received_amount_cents', wrong: 'intent.recieved', says: /'recieved'/ },
  { file: 'network.ts', right: "network: 'polygon', token", wrong: "network: 'poligon', token", says: /"poligon"/ },
  { file: 'path.ts', right: "'/v1/pockets'", wrong: "'/v1/pocket'", says: /error TS/ },
  { file: 'no-key.ts', right: 'params: { path, header: once() }', wrong: 'params: { path }', says: /header/ },
] as const;

let world: World;
let dir: string;
/** The compiler's errors about the tour and about the copies with mistakes. */
let complaints: readonly string[];
beforeAll(async () => {
  world = await startWorld();
  dir = await mkdtemp(join(tmpdir(), 'coffer-client-'));
  await symlink(fromRoot('node_modules'), join(dir, 'node_modules'));
  await writeFile(join(dir, 'package.json'), JSON.stringify({ type: 'module' }));
  await writeFile(join(dir, 'tsconfig.json'), JSON.stringify(TSCONFIG));
  const tour = await readFile(fromRoot('test/client/tour.ts'), 'utf8');
  await writeFile(join(dir, 'tour.ts'), tour);
  for (const { file, right, wrong } of MISTAKES) {
    expect(tour).toContain(right);
    await writeFile(join(dir, file), tour.replace(right, wrong));
  }
  const generator = fromRoot('node_modules/openapi-typescript/bin/cli.js');
  await run(process.execPath, [generator, `${world.url}/openapi.json`, '-o', join(dir, 'api.ts')], { cwd: dir });
  complaints = await compiled();
});
afterAll(async () => {
  await rm(dir, { recursive: true, force: true });
  await world.stop();
});

/** Returns the compiler's errors about the directory, one per line. */
async function compiled(): Promise<string[]> {
  const { stdout } = await run(process.execPath, [fromRoot('node_modules/typescript/bin/tsc'), '-p', dir], {
    cwd: dir,
  }).catch((error: { stdout: string }) => error);
  return stdout.split('\n').filter((line) => line.includes('error TS'));
}

describe('a client with types made from /openapi.json', () => {
  it('runs the tour of the README: TypeScript accepts it, and it goes from an intent to a pocket and a withdrawal', async () => {
    const isMistake = (line: string): boolean => MISTAKES.some(({ file }) => line.startsWith(`${file}(`));
    expect(complaints.filter((line) => !isMistake(line))).toEqual([]);
    const { stdout } = await run(process.execPath, ['--no-warnings', 'tour.ts', world.url, world.apiKey], { cwd: dir });
    const printed: Record<string, unknown> = JSON.parse(stdout);
    expect(printed).toEqual({
      created: 'requires_action',
      toPay: '25',
      address: printed['paidTo'],
      paidTo: expect.stringMatching(/^0x[0-9a-fA-F]{40}$/),
      received: 2500,
      payments: [{ status: 'confirmed', late: false }],
      listed: [true],
      events: ['payment_intent.processing', 'payment_intent.payment_received', 'payment_intent.completed'],
      available: 2500,
      preview: 'withdrawal_preview',
      ordered: 'withdrawal',
      withdrawn: ['completed', 'payout-77', 'string'],
      refused: 'amount_cents',
    });
  });

  it('gets compile errors for a misspelled field, value or path, and a missing idempotency key', () => {
    for (const { file, says } of MISTAKES) {
      expect(complaints.filter((line) => line.startsWith(`${file}(`)).join('\n')).toMatch(says);
    }
  });
});
