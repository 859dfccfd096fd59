import type { BrowserContext } from 'playwright-core';

/** Runs in the page before its own code. */
const REPORT_VIOLATIONS = `document.addEventListener('securitypolicyviolation', (event) =>
  reportViolation(event.violatedDirective + ' ' + event.blockedURI));`;

/** Chromium writes every answer that is no success to its console; such answers are part of many flows. */
const ANSWER = /^Failed to load resource: the server responded with a status of [45]/;

/**
 * Collects what no page may do: break its security policy, ask another host for something, fail. Returns a function that
 * lists it. `expected` are errors of the console that the flow provokes itself.
 */
export async function watchContext(context: BrowserContext, url: string, expected?: RegExp): Promise<() => string[]> {
  const problems: string[] = [];
  await context.exposeFunction('reportViolation', (violation: string) => problems.push(`violates ${violation}`));
  await context.addInitScript(REPORT_VIOLATIONS);
  context.on('request', (request) => {
    const asked = new URL(request.url());
    if (asked.protocol.startsWith('http') && asked.origin !== new URL(url).origin) problems.push(`asks ${asked.href}`);
  });
  context.on('weberror', (error) => problems.push(`throws ${error.error().message}`));
  context.on('console', (message) => {
    if (message.type() !== 'error' || ANSWER.test(message.text()) || expected?.test(message.text())) return;
    problems.push(`logs ${message.text()}`);
  });
  return () => problems;
}
