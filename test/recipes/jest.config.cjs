// Run by recipes.test.ts and environments.test.ts, on copies of these folders beside the packed tarball.
const recipes = { displayName: 'recipes', testMatch: ['<rootDir>/jest/*.test.cjs'] };

const environments = [
  { displayName: 'node', testEnvironment: 'node' },
  { displayName: 'jsdom', testEnvironment: require.resolve('jest-environment-jsdom') },
].flatMap((environment) => [
  environment,
  { ...environment, displayName: `${environment.displayName}, faked`, fakeTimers: { enableGlobally: true } },
  {
    ...environment,
    displayName: `${environment.displayName}, faked the old way`,
    fakeTimers: { enableGlobally: true, legacyFakeTimers: true },
  },
]);

const projects = [recipes, ...environments.map((project) => ({ testMatch: ['<rootDir>/environments/*.test.cjs'], ...project }))];

module.exports = { projects: projects.map((project) => ({ transform: {}, ...project })) };
