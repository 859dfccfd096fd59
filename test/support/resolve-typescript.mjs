/** A hook of Node's module loader, by which `.js` in an import means the `.ts` file where there is no other. */
export function resolve(specifier, context, next) {
  try {
    return next(specifier, context);
  } catch (error) {
    if (!specifier.startsWith('.') || !specifier.endsWith('.js')) throw error;
    return next(specifier.replace(/js$/, 'ts'), context);
  }
}
