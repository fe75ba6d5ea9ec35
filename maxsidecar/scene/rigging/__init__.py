"""Rigs that pose their nodes by themselves: CAT, and chains of inverse kinematics."""
