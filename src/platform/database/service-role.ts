import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';
import { type Client, escapeIdentifier, escapeLiteral } from 'pg';
import { hasErrorCode } from '../processes.js';
import { rowsOn } from '../sql/rows-on.js';
import { withClient } from './migrate.js';
import { currentRole, findRole } from './service-role.sql.js';

const ITERATIONS = 4096;
/** PostgreSQL reports a role that does not exist as a wrong password. */
const REFUSED = ['28P01', '28000'];

/**
 * Returns the role that `url` logs in as. If it does not exist, the owner creates it with the right to log in only. An
 * existing role is not changed.
 */
export async function ensureServiceRole(owner: Client, url: string): Promise<string> {
  const { username, password } = new URL(url);
  const name = decodeURIComponent(username);
  try {
    return await roleOf(url);
  } catch (error) {
    if (name === '' || !hasErrorCode(error, ...REFUSED) || (await roleExists(owner, name))) throw error;
    const secret = password === '' ? '' : ` password ${escapeLiteral(verifierOf(decodeURIComponent(password)))}`;
    await owner.query(`create role ${escapeIdentifier(name)} login${secret}`);
    return roleOf(url);
  }
}

const roleOf = (url: string): Promise<string> =>
  withClient(url, async (client) => {
    const [row] = await rowsOn(client, currentRole);
    return row?.name ?? '';
  });

async function roleExists(owner: Client, name: string): Promise<boolean> {
  const found = await rowsOn(owner, findRole(name));
  return found.length === 1;
}

/**
 * The form in which PostgreSQL stores a password (RFC 5803). The server may log statements, so none may contain the
 * password itself.
 */
function verifierOf(password: string): string {
  const salt = randomBytes(16);
  const salted = pbkdf2Sync(password.normalize('NFKC'), salt, ITERATIONS, 32, 'sha256');
  const keyOf = (text: string): Buffer => createHmac('sha256', salted).update(text).digest();
  const storedKey = createHash('sha256').update(keyOf('Client Key')).digest('base64');
  const serverKey = keyOf('Server Key').toString('base64');
  return `SCRAM-SHA-256$${ITERATIONS}:${salt.toString('base64')}$${storedKey}:${serverKey}`;
}
