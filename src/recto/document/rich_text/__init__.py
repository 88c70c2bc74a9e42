"""Rich text, the format of hosted editors: conversion from Markdown and back."""
