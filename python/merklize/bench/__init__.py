"""Benchmarks of the library on this machine: `merklize bench`.

suites     the jobs: what is measured, at which sizes and with which policies
measure    one job: repeats, medians, the check of its answer
peers      the same work by published packages and programs
tune       the policy that is fastest for a job, found by measuring: `merklize tune`
tuned      the policies that it found, which the library uses
rows       results as JSON, with what they were measured on
originals  figures of the projects that this one continues
report     tables for the terminal
plots      pictures (matplotlib)
"""
