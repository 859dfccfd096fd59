import { type Environment, may, type Session } from '../session/session.ts';
import { lastEnvironment } from './environment.ts';
import { type ConsolePage, PAGES } from './route-table.ts';

/** The pages that a member finds in the navigation of an environment, in order. */
export function navigationOf(session: Session, environment: Environment): ConsolePage[] {
  return Object.values<ConsolePage>(PAGES)
    .filter(
      ({ nav, access }) =>
        nav !== undefined && typeof access === 'object' && may(session, environment, access.permission),
    )
    .toSorted((a, b) => (a.nav ?? 0) - (b.nav ?? 0));
}

/** The address of a page of the navigation. */
export function hrefOf({ path }: ConsolePage, environment: Environment): string {
  return path.replace('$environment', environment);
}

/** Where a member lands: the first page they may see, in the environment that was open last. */
export function landingHref(session: Session): string {
  const last = lastEnvironment();
  const environments = session.environments.toSorted((a, b) => Number(b === last) - Number(a === last));
  for (const environment of environments) {
    const [first] = navigationOf(session, environment);
    if (first !== undefined) return hrefOf(first, environment);
  }
  return PAGES.account.path;
}
