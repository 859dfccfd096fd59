import { as } from '../../../platform/sql/as.js';
import { sql } from '../../../platform/sql/sql.js';
import { table } from '../../../platform/sql/table.js';
import { EnergyLoan } from '../../../treasury/sweeps/energy/energy-loan.entity.js';
import { EnergyReturn } from '../../../treasury/sweeps/energy/energy-return.entity.js';

const loan = table(EnergyLoan);
const giving = table(EnergyReturn);

/** Sums the stake on a chain whose energy is lent: what was lent and has not come back. */
export const bookedAsLent = (chainRef: string) => sql`
  select coalesce((select sum(${loan.lent}) from ${loan}
                    where ${loan.chainRef} = ${chainRef} and ${loan.lent} > 0), 0)
         - coalesce((select sum(${giving.returned}) from ${giving}
                      where ${giving.chainRef} = ${chainRef} and ${giving.returned} > 0), 0) ${as.digits('stake')}`;
