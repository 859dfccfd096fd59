import type { SanctionsList } from '../../sanctions/sanctions-list.service.js';
import { type Finding, ok, warn } from './doctor-finding.js';

/** Whether destinations are screened, and by how old a list. */
export async function checkSanctions(list: SanctionsList): Promise<Finding> {
  const status = await list.status();
  const name = 'sanctions list';
  if (status === null) return warn(name, 'there is none, so nothing is paid out', 'start the service: it loads one');
  const detail = `${status.source}, published ${status.ageDays} days ago`;
  const advice = 'get the current sdn_advanced.xml, then npx coffer sanctions import FILE; see docs/operations.md';
  return status.isStale ? warn(name, detail, advice) : ok(name, detail);
}
