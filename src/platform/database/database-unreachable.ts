const REFUSED_LOGIN = 'Correct the user and its password.';
const ADVICE: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'Start PostgreSQL there, or correct the host and port.',
  // A Unix socket without a server.
  ENOENT: 'Start PostgreSQL there, or correct the host and port.',
  ENOTFOUND: 'Correct the host name.',
  EAI_AGAIN: 'Correct the host name, or check whether this machine can resolve names.',
  '28000': REFUSED_LOGIN,
  '28P01': REFUSED_LOGIN,
  '3D000': 'Create the database, or correct its name.',
  '53300': 'Raise max_connections of the server, or lower DATABASE_POOL_MAX.',
  '57P03': 'The server is starting or stopping: try again in a moment.',
};
const ADVICE_OTHERWISE = 'Check that the server runs and that no firewall blocks the connection.';

/** The connection to PostgreSQL failed. The message names the server, without the password, and what to try. */
export class DatabaseUnreachable extends Error {
  override name = 'DatabaseUnreachable';
  /** The code of the system call or of PostgreSQL, such as `ECONNREFUSED` or `28P01`. */
  readonly code: string | null;

  constructor(url: string, cause: unknown) {
    const { hostname, port, pathname, username } = new URL(url);
    // A name with several addresses fails with one error for each address.
    const failure: unknown = cause instanceof AggregateError ? cause.errors[0] : cause;
    const code = codeOf(failure);
    const reason = reasonOf(failure);
    super(
      `PostgreSQL at ${hostname === '' ? 'localhost' : decodeURIComponent(hostname)}:${port === '' ? '5432' : port} (database ` +
        `${decodeURIComponent(pathname.slice(1))}, role ${decodeURIComponent(username)}) cannot be reached: ${reason}. ` +
        `${ADVICE[code ?? ''] ?? ADVICE_OTHERWISE} DATABASE_URL or MIGRATION_DATABASE_URL sets this address.`,
      { cause },
    );
    this.code = code;
  }
}

/** Replaces pg's vague message about a timeout. */
function reasonOf(failure: unknown): string {
  if (!(failure instanceof Error)) return 'no connection';
  return failure.message === 'timeout expired' ? 'no answer in time' : failure.message;
}

function codeOf(error: unknown): string | null {
  const isCoded = typeof error === 'object' && error !== null && 'code' in error;
  return isCoded && typeof error.code === 'string' ? error.code : null;
}
