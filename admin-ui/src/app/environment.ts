import { useParams } from '@tanstack/react-router';
import { type Environment, ENVIRONMENTS } from '../session/session.ts';

export const ENVIRONMENT_NAME: Readonly<Record<Environment, string>> = { sandbox: 'Sandbox', live: 'Live' };

const LAST = 'coffer.environment';

export function asEnvironment(value: unknown): Environment | null {
  return ENVIRONMENTS.find((one) => one === value) ?? null;
}

/** The environment in the address of this page. Pages outside of one, such as the account, show the last one. */
export function useEnvironment(): Environment {
  const { environment }: { environment?: string } = useParams({ strict: false });
  return asEnvironment(environment) ?? lastEnvironment();
}

/** The environment that was open last in this browser. */
export function lastEnvironment(): Environment {
  return asEnvironment(window.localStorage.getItem(LAST)) ?? 'sandbox';
}

export function rememberEnvironment(environment: Environment): void {
  window.localStorage.setItem(LAST, environment);
}
