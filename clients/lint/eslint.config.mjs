// The rules for the client programs in JavaScript; `npm run lint` in this folder holds them to these and to prettier.
import js from '@eslint/js';

const ofNode = ['AbortController', 'Buffer', 'performance', 'process', 'URL'];

export default [
  { ignores: ['**/node_modules/'] },
  js.configs.recommended,
  {
    languageOptions: { globals: Object.fromEntries(ofNode.map((name) => [name, 'readonly'])) },
    rules: {
      eqeqeq: ['error', 'always', { null: 'ignore' }],
      'no-unused-private-class-members': 'error',
      'no-var': 'error',
      'object-shorthand': 'error',
      'prefer-const': 'error',
    },
  },
];
