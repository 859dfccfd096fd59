import { SERVICE_RIGHTS } from '../../../migrations/service-rights.js';
import { type Database, row } from '../../platform/database/database.js';
import { withClient } from '../../platform/database/migrate.js';
import { makesTables, ownsTables, rightsDifferences } from '../../platform/database/table-rights.js';
import { type Finding, ok, warn } from './doctor-finding.js';
import { sessionRole } from './doctor.sql.js';

const ADVICE = 'run npx coffer migrate with MIGRATION_DATABASE_URL: see docs/operations.md, "Database roles"';

/** Checks that the role of the service has no other rights than it needs. */
export async function checkRights(database: Database, url: string): Promise<Finding> {
  const { role } = await row(database.em(), sessionRole);
  return withClient(url, async (client) => {
    if (await ownsTables(client, role)) {
      return warn(
        'database role',
        `the service uses ${role}, the owner of its tables: an attacker with this role can disable the guards of the books`,
        'give the service its own role: see docs/operations.md, "Database roles"',
      );
    }
    if (await makesTables(client, role)) {
      return warn(
        'database role',
        `${role} may create tables, at least temporary ones: the guards could read such a table instead of their own`,
        `${ADVICE}; if that role does not own the database, its owner must revoke the right from public`,
      );
    }
    const differences = await rightsDifferences(client, role, SERVICE_RIGHTS);
    if (differences.length === 0)
      return ok('database role', `${role} has the rights that the service needs, and no others`);
    const tables = differences.map(({ table }) => table).join(', ');
    return warn('database role', `${role} has other rights than the service needs on ${tables}`, ADVICE);
  });
}
