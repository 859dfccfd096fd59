// Lets Node load our sources as they are (`--import` this file): it strips the types by itself, and `.js` of an import
// means the `.ts` beside it. Sources with decorators or parameter properties cannot be loaded so.
import { registerHooks } from 'node:module';

registerHooks({
  resolve(specifier, context, next) {
    try {
      return next(specifier, context);
    } catch (error) {
      if (!specifier.startsWith('.') || !specifier.endsWith('.js')) throw error;
      return next(specifier.replace(/js$/, 'ts'), context);
    }
  },
});
