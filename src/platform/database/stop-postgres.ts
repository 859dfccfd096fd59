import { isPidAlive } from '../processes.js';
import { pgCtlArgs, ToolError, type PostgresTools } from './postgres-tools.js';
import { readPostmaster } from './postmaster-file.js';

const STOP_TIMEOUT_S = 30;

/**
 * Stops the server with this pid on a data directory: in order, or at once if that takes too long. After a stop at once the
 * next start replays the commits. Does nothing when that server has ended, even if another one runs there now.
 * @throws ToolError when the server still runs.
 */
export async function stopPostgres(dir: string, tools: PostgresTools, pid: number): Promise<void> {
  const isRunning = async (): Promise<boolean> => (await readPostmaster(dir))?.pid === pid && isPidAlive(pid);
  const stop = async (mode: 'fast' | 'immediate'): Promise<void> => {
    try {
      await tools.run('pg_ctl', ['stop', ...pgCtlArgs(dir, STOP_TIMEOUT_S), '-m', mode]);
    } catch (error) {
      // pg_ctl also fails when another stop ends the server first. Its pid may outlive its file for a moment.
      if (!(error instanceof ToolError) || (mode === 'immediate' && (await isRunning()))) throw error;
    }
  };
  if (await isRunning()) await stop('fast');
  if (await isRunning()) await stop('immediate');
}
