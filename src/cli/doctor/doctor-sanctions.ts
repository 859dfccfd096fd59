import type { SanctionsList } from '../../sanctions/sanctions-list.service.js';
import { type Finding, ok, warn } from './doctor-finding.js';

/** Checks that there is a sanctions list, and its age. */
export async function checkSanctions(list: SanctionsList): Promise<Finding> {
  const status = await list.status();
  const name = 'sanctions list';
  if (status === null) return warn(name, 'there is none, so nothing is paid out', 'start the service, which loads one');
  const detail = `${status.source}, published ${status.ageDays} days ago`;
  const advice =
    'download the current sdn_advanced.xml and run npx coffer sanctions import FILE; see docs/operations.md, "Sanctions list"';
  return status.isStale ? warn(name, detail, advice) : ok(name, detail);
}
