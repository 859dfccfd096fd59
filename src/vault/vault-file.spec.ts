import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { ENVIRONMENTS } from '../domain/network.js';
import { createVaultFile, openVaultFile } from './vault-file.js';
import { parseVaultFile, SCRYPT_N, type VaultFile } from './vault-format.js';
import { VaultError, type VaultFailure } from './vault.js';

const PASSPHRASE = 'correct horse battery staple';
const CHEAP = { scryptN: SCRYPT_N.min };

let directory: string;
let path: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'coffer-vault-'));
  path = join(directory, 'vault.json');
  await createVaultFile(path, PASSPHRASE, CHEAP);
});
afterAll(() => rm(directory, { recursive: true }));

async function failureOf(work: Promise<unknown>): Promise<VaultFailure> {
  try {
    await work;
  } catch (error) {
    if (error instanceof VaultError) return error.reason;
    throw error;
  }
  throw new Error('The work succeeded.');
}

async function contentOf(file: string): Promise<VaultFile> {
  const content = parseVaultFile(await readFile(file, 'utf8'));
  if (typeof content === 'string') throw new Error(content);
  return content;
}

/** Opens a vault file with this content and reports how that fails. */
async function failureWith(content: string | object): Promise<VaultFailure> {
  const changed = join(directory, 'changed.json');
  await writeFile(changed, typeof content === 'string' ? content : JSON.stringify(content));
  return failureOf(openVaultFile(changed, PASSPHRASE));
}

/** Paths to all the values of an object, such as `seeds.live.tag`. */
function fieldsOf(value: object, prefix = ''): string[] {
  return Object.entries(value).flatMap(([name, inner]: [string, unknown]) =>
    typeof inner === 'object' && inner !== null ? fieldsOf(inner, `${prefix}${name}.`) : [`${prefix}${name}`],
  );
}

describe('creating a vault file', () => {
  it('keeps one seed of 256 bits per environment that opens the same every time', async () => {
    const first = await openVaultFile(path, PASSPHRASE);
    expect(await openVaultFile(path, PASSPHRASE)).toEqual(first);
    expect(first.sandbox).toHaveLength(32);
    expect(first.live).toHaveLength(32);
    expect(first.sandbox.equals(first.live)).toBe(false);
  });

  it('takes the standard scrypt cost when none is asked for', async () => {
    const standard = join(directory, 'standard.json');
    await createVaultFile(standard, PASSPHRASE);
    expect((await contentOf(standard)).kdf).toMatchObject({ name: 'scrypt', N: 131_072, r: 8, p: 1 });
    await expect(openVaultFile(standard, PASSPHRASE)).resolves.toHaveProperty('live');
  });

  it('lets only the owner read it and leaves no draft behind', async () => {
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect((await readdir(directory)).filter((name) => name.endsWith('.draft'))).toEqual([]);
  });

  it('never replaces a file, also when several processes start at once', async () => {
    const contested = join(directory, 'contested.json');
    const outcomes = await Promise.allSettled(
      Array.from({ length: 8 }, () => createVaultFile(contested, PASSPHRASE, CHEAP)),
    );
    const failures = outcomes.filter((outcome) => outcome.status === 'rejected').map(({ reason }): unknown => reason);
    expect(failures).toHaveLength(7);
    expect(failures).toEqual(failures.map(() => expect.objectContaining({ reason: 'exists' })));
    const before = await readFile(contested, 'utf8');
    expect(await failureOf(createVaultFile(contested, PASSPHRASE, CHEAP))).toBe('exists');
    expect(await readFile(contested, 'utf8')).toBe(before);
  });

  it('requires a passphrase of at least 12 characters', async () => {
    const weak = join(directory, 'weak.json');
    expect(await failureOf(createVaultFile(weak, 'elevenchars', CHEAP))).toBe('weak_passphrase');
    expect(await failureOf(openVaultFile(weak, PASSPHRASE))).toBe('missing');
  });

  it('never uses a nonce, a salt or a seed twice [L-156] [L-159]', async () => {
    const used: string[] = [];
    for (let i = 0; i < 50; i++) {
      const file = join(directory, `vault-${i}.json`);
      await createVaultFile(file, PASSPHRASE, CHEAP);
      const { kdf, seeds } = await contentOf(file);
      const opened = await openVaultFile(file, PASSPHRASE);
      used.push(kdf.salt, seeds.sandbox.nonce, seeds.live.nonce);
      used.push(opened.sandbox.toString('hex'), opened.live.toString('hex'));
    }
    expect(new Set(used).size).toBe(50 * 5);
  });
});

describe('opening a vault file', () => {
  it('refuses a wrong or empty passphrase and says no more than for a changed file [L-154]', async () => {
    expect(await failureOf(openVaultFile(path, `${PASSPHRASE} `))).toBe('sealed');
    expect(await failureOf(openVaultFile(path, ''))).toBe('sealed');
    await expect(openVaultFile(path, 'wrong passphrase')).rejects.toThrow(new VaultError('sealed', path).message);
  });

  it('takes a passphrase in either Unicode composition', async () => {
    const accented = join(directory, 'accented.json');
    await createVaultFile(accented, 'p\u00e9n\u00e9trable clef', CHEAP);
    await expect(openVaultFile(accented, 'pe\u0301ne\u0301trable clef')).resolves.toHaveProperty('live');
  });

  it('distinguishes a missing file from one that cannot be read', async () => {
    expect(await failureOf(openVaultFile(join(directory, 'none.json'), PASSPHRASE))).toBe('missing');
    expect(await failureOf(openVaultFile(directory, PASSPHRASE))).toBe('unreadable');
  });

  it('names an unsupported version, whatever else the file holds', async () => {
    expect(await failureWith({ version: 2, entirely: 'different' })).toBe('unsupported_version');
  });

  it('refuses what is no vault file', async () => {
    for (const content of ['', 'null', '[]', '{}', '{"version":1}', '"version"', '\0']) {
      expect(await failureWith(content)).toBe('sealed');
    }
  });

  it('refuses a file in which sandbox and live have changed places [L-155]', async () => {
    const { seeds, ...rest } = await contentOf(path);
    expect(await failureWith({ ...rest, seeds: { sandbox: seeds.live, live: seeds.sandbox } })).toBe('sealed');
    expect(await failureWith({ ...rest, seeds: { sandbox: seeds.live, live: seeds.live } })).toBe('sealed');
  });

  it('refuses the seed of another vault file under the same passphrase [L-155]', async () => {
    const other = join(directory, 'other.json');
    await createVaultFile(other, PASSPHRASE, CHEAP);
    const [ours, theirs] = [await contentOf(path), await contentOf(other)];
    expect(await failureWith({ ...ours, seeds: { ...ours.seeds, live: theirs.seeds.live } })).toBe('sealed');
  });

  it.each([2 ** 9, 2 ** 10 + 1, 2 ** 19, 2 ** 40, 0, -1])(
    'refuses an scrypt N of %d before it takes any memory',
    async (N) => {
      const content = await contentOf(path);
      expect(parseVaultFile(JSON.stringify({ ...content, kdf: { ...content.kdf, N } }))).toBe('malformed');
    },
  );
});

describe('a flipped byte', () => {
  it('in any field is refused [L-155]', async () => {
    const original = await readFile(path, 'utf8');
    const fields = fieldsOf(await contentOf(path));
    expect(fields).toHaveLength(6 + 3 * ENVIRONMENTS.length);
    for (const field of fields) {
      const flipped = flipValue(original, field);
      expect(flipped).not.toBe(original);
      expect([field, await failureWith(flipped)]).toEqual([
        field,
        field === 'version' ? 'unsupported_version' : 'sealed',
      ]);
    }
  });

  it('anywhere in the file is refused, unless it leaves the content as it was [L-155]', async () => {
    const original = await readFile(path);
    const meaning = JSON.stringify(JSON.parse(original.toString()));
    await fc.assert(
      fc.asyncProperty(fc.nat(original.length - 1), fc.integer({ min: 1, max: 255 }), async (position, mask) => {
        const changed = Buffer.from(original);
        changed.writeUInt8(changed.readUInt8(position) ^ mask, position);
        fc.pre(meaningOf(changed.toString()) !== meaning);
        expect(await failureWith(changed.toString())).toMatch(/^(sealed|unsupported_version)$/);
      }),
      { numRuns: 400 },
    );
  });
});

/** The text with the last character of one value changed to another that is still valid there. */
function flipValue(text: string, field: string): string {
  const names = field.split('.');
  const start = names.reduce((from, name) => text.indexOf(`"${name}"`, from), 0);
  const lineEnd = text.indexOf('\n', start);
  const last = text.slice(0, lineEnd).search(/["]?,?$/) - 1;
  const flipped = text.charAt(last) === '1' ? '2' : '1';
  return text.slice(0, last) + flipped + text.slice(last + 1);
}

function meaningOf(text: string): string | null {
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return null;
  }
}
