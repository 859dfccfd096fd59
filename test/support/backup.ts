import { HDNodeWallet, Mnemonic } from 'ethers';
import type { Database } from '../../src/platform/database/database.js';
import { query } from './sql.js';

/** Every row of every table, in all schemas, as text: the content of a database dump. */
export async function everyRow(database: Database): Promise<string> {
  const tables = await query<{ name: string }>(
    database,
    `select format('%I.%I', table_schema, table_name) as name from information_schema.tables
      where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema') order by 1`,
  );
  const texts: string[] = [];
  for (const { name } of tables) {
    const rows = await query<{ text: string }>(database, `select whole_row::text as text from ${name} as whole_row`);
    texts.push(name, ...rows.map(({ text }) => text));
  }
  return texts.join('\n');
}

/** The forms in which a secret may be stored: as text, or its bytes in hex or base64. */
export function writtenDown(secret: string | Uint8Array): string[] {
  const bytes = Buffer.from(secret);
  const encoded = [bytes.toString('hex'), bytes.toString('base64').replace(/=+$/, ''), bytes.toString('base64url')];
  return typeof secret === 'string' ? [secret, ...encoded] : encoded;
}

/** Everything derived from a seed (BIP-39 entropy) that would reveal it or one of these keys. */
export function grownFrom(entropy: Uint8Array, paths: readonly string[]): string[] {
  const mnemonic = Mnemonic.fromEntropy(entropy);
  const root = HDNodeWallet.fromMnemonic(mnemonic, 'm');
  const keys = paths.map((path) => root.derivePath(path).privateKey);
  const seeds = [Buffer.from(entropy), Buffer.from(mnemonic.computeSeed().slice(2), 'hex')];
  const raw = [...seeds, ...keys.map((key) => Buffer.from(key.slice(2), 'hex'))];
  return [mnemonic.phrase, root.extendedKey, ...raw].flatMap(writtenDown);
}
