import { SERVICE_RIGHTS } from '../../../migrations/service-rights.js';
import { withClient } from '../../platform/database/migrate.js';
import { makesTables, ownsTables, rightsDifferences } from '../../platform/database/table-rights.js';
import { type Finding, ok, warn } from './doctor-finding.js';

const ADVICE = 'npx coffer migrate with MIGRATION_DATABASE_URL: see "Database roles" in docs/operations.md';

/** Whether the role that the service works as could do more to the books than it has to. */
export function checkRights(url: string): Promise<Finding> {
  return withClient(url, async (client) => {
    const { rows } = await client.query<{ role: string }>('select current_user as role');
    const role = rows[0]?.role ?? '';
    if (await ownsTables(client, role)) {
      return warn(
        'database role',
        `the service works as ${role}, the owner of its tables: whoever takes it over can switch off what guards the books`,
        'give it a role of its own: see "Database roles" in docs/operations.md',
      );
    }
    if (await makesTables(client, role)) {
      return warn(
        'database role',
        `${role} may make tables, if only temporary ones: one of them can be what the guards read`,
        `${ADVICE}; where its role does not own the database, who does revokes it from public`,
      );
    }
    const differences = await rightsDifferences(client, role, SERVICE_RIGHTS);
    if (differences.length === 0) return ok('database role', `${role} may do what the service needs, and nothing else`);
    const tables = differences.map(({ table }) => table).join(', ');
    return warn('database role', `${role} has other rights than the service needs on ${tables}`, ADVICE);
  });
}
