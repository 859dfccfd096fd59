import { type Environment, may, type Session } from '../session/session.ts';
import { asEnvironment, lastEnvironment } from './environment.ts';
import { type ConsolePage, PAGES } from './route-table.ts';

/** The pages that a member finds in the navigation of an environment, in order. */
export function navigationOf(session: Session, environment: Environment): ConsolePage[] {
  return Object.values<ConsolePage>(PAGES)
    .filter(
      ({ nav, access, only }) =>
        nav !== undefined &&
        (only ?? environment) === environment &&
        typeof access === 'object' &&
        may(session, environment, access.permission),
    )
    .toSorted((a, b) => (a.nav ?? 0) - (b.nav ?? 0));
}

/** The headings of the navigation. Each stands above the pages from its place up to that of the next one. */
const SECTIONS = [
  { from: 10, title: 'Webhooks' },
  { from: 20, title: 'Payments' },
  { from: 40, title: 'Money' },
  { from: 60, title: 'Merchants' },
  { from: 70, title: 'Developers' },
  { from: 80, title: 'Operations' },
  { from: 90, title: 'Team' },
] as const;

export interface NavigationSection {
  readonly title: string;
  readonly pages: readonly ConsolePage[];
}

/** The navigation of an environment by its headings; one without a page for this member is left out. */
export function navigationSections(session: Session, environment: Environment): NavigationSection[] {
  const pages = navigationOf(session, environment);
  return SECTIONS.map(({ from, title }, i) => {
    const to = SECTIONS[i + 1]?.from ?? Infinity;
    return { title, pages: pages.filter(({ nav = 0 }) => nav >= from && nav < to) };
  }).filter((section) => section.pages.length > 0);
}

/** The address of a page of the navigation. */
export function hrefOf({ path }: ConsolePage, environment: Environment): string {
  return path.replace('$environment', environment);
}

/** Where an address without a page of its own leads: `/`, and that of an environment alone. Null for every other one. */
export function landingFor(pathname: string, session: Session): string | null {
  const [, first = '', ...rest] = pathname.split('/');
  const isBare = rest.every((part) => part === '');
  if (!isBare || (first !== '' && asEnvironment(first) === null)) return null;
  const wanted = asEnvironment(first) ?? lastEnvironment();
  const environments = session.environments.toSorted((a, b) => Number(b === wanted) - Number(a === wanted));
  for (const environment of environments) {
    const [page] = navigationOf(session, environment);
    if (page !== undefined) return hrefOf(page, environment);
  }
  return PAGES.account.path;
}
