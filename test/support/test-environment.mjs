// Vite tells its own settings in the environment, and one of them has the name of a setting of ours.
for (const name of ['BASE_URL', 'MODE', 'DEV', 'PROD', 'SSR']) delete process.env[name];
