-- side by side with: 0007
-- PostgreSQL keeps its index in order by itself.
SELECT 1;
